package screen

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// unlock returns the path of the terminal behind a keyboard, once it may be opened.
func unlock(keyboard int) (string, error) {
	for _, request := range []uint{unix.TIOCPTYGRANT, unix.TIOCPTYUNLK} {
		if err := unix.IoctlSetInt(keyboard, request, 0); err != nil {
			return "", err
		}
	}
	var path [128]byte
	_, _, failure := syscall.Syscall(syscall.SYS_IOCTL, uintptr(keyboard), unix.TIOCPTYGNAME, uintptr(unsafe.Pointer(&path[0])))
	if failure != 0 {
		return "", failure
	}
	return unix.ByteSliceToString(path[:]), nil
}
