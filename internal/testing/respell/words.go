package respell

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"

	v1 "gati.dev/gati/api/v1"
)

// amount writes a quantity in another unit, or as a number.
func (s *Speller) amount(x any) any {
	q, err := resource.ParseQuantity(fmt.Sprint(x))
	if err != nil {
		panic(err) // The specs have no faults.
	}
	exact := q.AsDec().String()
	words := []any{x, exact, json.Number(exact), exact + "e0"}
	for _, format := range []resource.Format{resource.DecimalSI, resource.BinarySI, resource.DecimalExponent} {
		words = append(words, resource.NewDecimalQuantity(*q.AsDec(), format).String())
	}
	if q.Value() < 1000 {
		words = append(words, fmt.Sprintf("%dm", q.MilliValue()))
	}
	for _, unit := range []string{"k", "M", "Ki", "Mi"} {
		size := resource.MustParse("1" + unit)
		words = append(words, fmt.Sprintf("%d%s", q.Value()/size.Value(), unit))
	}
	return s.pickSame(words, func(word any) bool {
		other, err := resource.ParseQuantity(fmt.Sprint(word))
		return err == nil && other.Cmp(q) == 0
	})
}

// duration writes a length of time in other units.
func (s *Speller) duration(x any) any {
	length, err := v1.Duration(x.(string)).Parse()
	if err != nil {
		panic(err) // The specs have no faults.
	}
	seconds := int64(length / time.Second)
	words := []any{x, strings.ReplaceAll(length.String(), "0s", "00s"), fmt.Sprintf("0d%dm%ds", seconds/60, seconds%60)}
	for unit, size := range []int64{1, 60, 3600, 86400} {
		words = append(words, fmt.Sprintf("%d%c", seconds/size, "smhd"[unit]))
	}
	return s.pickSame(words, func(word any) bool {
		other, err := v1.Duration(word.(string)).Parse()
		return err == nil && other == length
	})
}

// gatewayDuration writes a length of time of Gateway API in other units.
func (s *Speller) gatewayDuration(x any) any {
	length, err := time.ParseDuration(x.(string))
	if err != nil {
		panic(err) // The specs have no faults.
	}
	milliseconds := length.Milliseconds()
	words := []any{x, fmt.Sprintf("%dms", milliseconds), fmt.Sprintf("%ds", milliseconds/1000), fmt.Sprintf("%dm%ds", milliseconds/60_000, milliseconds/1000%60), fmt.Sprintf("%ds%dms", milliseconds/1000, milliseconds%1000)}
	return s.pickSame(words, func(word any) bool {
		other, err := time.ParseDuration(word.(string))
		return err == nil && other == length && len(word.(string)) < 8 // Five digits at most.
	})
}

// pickSame picks one of the words that mean the same as the first.
func (s *Speller) pickSame(words []any, isSame func(any) bool) any {
	words = slices.DeleteFunc(words, func(word any) bool { return !isSame(word) })
	return words[s.rand.Intn(len(words))]
}
