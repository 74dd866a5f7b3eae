package assets

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// CacheDir returns where built executables are kept: $GATI_CACHE, or
// ~/.cache/gati. There is no fallback to a shared directory like /tmp, where
// another user could have put executables of his own.
func CacheDir() (string, error) {
	if dir := os.Getenv("GATI_CACHE"); dir != "" {
		dir, err := filepath.Abs(dir)
		if err != nil {
			return "", fmt.Errorf("resolve GATI_CACHE: %w", err)
		}
		return dir, nil
	}
	if home := os.Getenv("HOME"); home != "" {
		return filepath.Join(home, ".cache", "gati"), nil
	}
	if dir, err := os.UserCacheDir(); err == nil {
		return filepath.Join(dir, "gati"), nil
	}
	return "", errors.New("there is no place for built executables, because neither GATI_CACHE nor HOME is set; set GATI_CACHE to a directory of yours")
}

// userNames are the executables that controller-runtime's envtest looks for.
var userNames = []string{"etcd", "kube-apiserver", "kubectl"}

// UserDir returns $KUBEBUILDER_ASSETS when it has what tests need. The second
// result is false when the variable is not set.
func UserDir() (string, bool, error) {
	dir := os.Getenv("KUBEBUILDER_ASSETS")
	if dir == "" {
		return "", false, nil
	}
	for _, name := range userNames {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.IsDir() || info.Mode()&0o111 == 0 {
			return "", true, fmt.Errorf("KUBEBUILDER_ASSETS is set to %s, which has no executable %s; unset it to use devcluster's own", dir, name)
		}
	}
	return dir, true, nil
}
