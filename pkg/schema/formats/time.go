package formats

import (
	"strconv"
	"time"

	"gati.dev/gati/pkg/lazyregexp"
)

var (
	timeText    = lazyregexp.New(`^([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:\.\d+)?(?:[zZ]|([+-])([01]\d|2[0-3]):([0-5]\d))$`)
	durationISO = lazyregexp.New(`^P(\d+W|(\d+D|\d+M(\d+D)?|\d+Y(\d+M(\d+D)?)?)?(T(\d+S|\d+M(\d+S)?|\d+H(\d+M(\d+S)?)?))?)$`)
)

func isDate(s string) bool { _, err := time.Parse(time.DateOnly, s); return err == nil }

// isTime is RFC 3339's full-time. The 60th second is the last of a day of UTC.
func isTime(s string) bool {
	parts := timeText.FindStringSubmatch(s)
	if parts == nil || parts[3] != "60" {
		return parts != nil
	}
	const day = 24 * 60
	minute := minutes(parts[1], parts[2])
	switch offset := minutes(parts[5], parts[6]); parts[4] {
	case "+":
		minute -= offset
	case "-":
		minute += offset
	}
	return (minute+day)%day == day-1
}

// minutes returns the minutes of two decimal numbers; those that are missing are 0.
func minutes(hour, minute string) int {
	h, _ := strconv.Atoi(hour)
	m, _ := strconv.Atoi(minute)
	return h*60 + m
}

func isDateTime(s string) bool {
	const date = len(time.DateOnly)
	return len(s) > date && (s[date] == 'T' || s[date] == 't') && isDate(s[:date]) && isTime(s[date+1:])
}

// isDuration is RFC 3339's appendix A.
func isDuration(s string) bool { return len(s) > 1 && durationISO.MatchString(s) }
