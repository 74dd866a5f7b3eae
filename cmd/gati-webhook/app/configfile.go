package app

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"sort"
	"strings"

	"github.com/spf13/pflag"
	"sigs.k8s.io/yaml"
)

const flagConfig = "config"

// flagsNotInFile are the flags that are no keys of the configuration file.
var flagsNotInFile = []string{flagConfig, "version"}

// applyFile sets each flag that the command line did not set from the key of the
// same name, with the flag's own parser.
func applyFile(f *pflag.FlagSet, path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read the configuration: %w", err)
	}
	values := map[string]any{}
	if err := yaml.UnmarshalStrict(data, &values); err != nil {
		return fmt.Errorf("read the configuration %s: %w", path, err)
	}
	for _, key := range sortedKeys(values) {
		flag := f.Lookup(key)
		if flag == nil || slices.Contains(flagsNotInFile, key) {
			return fmt.Errorf("configuration %s: there is no key %q; the keys are: %s", path, key, strings.Join(fileKeys(f), ", "))
		}
		if flag.Changed {
			continue
		}
		if err := setFlag(f, key, values[key]); err != nil {
			return fmt.Errorf("configuration %s, key %q: %w", path, key, err)
		}
	}
	return nil
}

func setFlag(f *pflag.FlagSet, key string, value any) error {
	switch v := value.(type) {
	case nil:
		return nil
	case []any:
		for _, item := range v {
			text, err := itemText(item)
			if err != nil {
				return err
			}
			if err := f.Set(key, text); err != nil {
				return err
			}
		}
		return nil
	case map[string]any:
		for _, k := range sortedKeys(v) {
			if err := f.Set(key, k+"="+fmt.Sprint(v[k])); err != nil {
				return err
			}
		}
		return nil
	default:
		return f.Set(key, fmt.Sprint(v))
	}
}

// itemText returns an item of a list as its flag takes it: an object as JSON.
func itemText(item any) (string, error) {
	if _, isObject := item.(map[string]any); !isObject {
		return fmt.Sprint(item), nil
	}
	text, err := json.Marshal(item)
	return string(text), err
}

func fileKeys(f *pflag.FlagSet) []string {
	var keys []string
	f.VisitAll(func(flag *pflag.Flag) {
		if !slices.Contains(flagsNotInFile, flag.Name) {
			keys = append(keys, flag.Name)
		}
	})
	sort.Strings(keys)
	return keys
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}
