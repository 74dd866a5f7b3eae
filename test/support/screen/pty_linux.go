package screen

import (
	"strconv"

	"golang.org/x/sys/unix"
)

// unlock returns the path of the terminal behind a keyboard, once it may be opened.
func unlock(keyboard int) (string, error) {
	if err := unix.IoctlSetPointerInt(keyboard, unix.TIOCSPTLCK, 0); err != nil {
		return "", err
	}
	number, err := unix.IoctlGetInt(keyboard, unix.TIOCGPTN)
	return "/dev/pts/" + strconv.Itoa(number), err
}
