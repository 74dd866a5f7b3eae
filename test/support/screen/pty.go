package screen

import (
	"errors"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// startInTerminal starts a command with a new terminal of a size as its own, and returns
// the side from which it is typed into and read.
func startInTerminal(cmd *exec.Cmd, width, height int) (*os.File, error) {
	keyboard, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, err
	}
	if err := startBehind(keyboard, cmd, width, height); err != nil {
		return nil, errors.Join(err, keyboard.Close())
	}
	return keyboard, nil
}

func startBehind(keyboard *os.File, cmd *exec.Cmd, width, height int) error {
	var path string
	err := withDescriptor(keyboard, func(fd int) (err error) {
		path, err = unlock(fd)
		return err
	})
	if err != nil {
		return err
	}
	terminal, err := os.OpenFile(path, os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return err
	}
	defer terminal.Close()
	if err := setSize(keyboard, width, height); err != nil {
		return err
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = terminal, terminal, terminal
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	return cmd.Start()
}

// setSize makes a terminal another size; the command gets a signal.
func setSize(keyboard *os.File, width, height int) error {
	return withDescriptor(keyboard, func(fd int) error {
		return unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: uint16(height), Col: uint16(width)})
	})
}

// withDescriptor calls a function with the number of an open file. Fd would make the file's reads
// block, so that closing it no longer ended them.
func withDescriptor(file *os.File, do func(fd int) error) error {
	conn, err := file.SyscallConn()
	if err != nil {
		return err
	}
	var failure error
	err = conn.Control(func(fd uintptr) { failure = do(int(fd)) })
	return errors.Join(err, failure)
}
