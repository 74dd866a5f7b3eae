package app

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

// connection is one that a client keeps open.
type connection struct {
	t      *testing.T
	conn   net.Conn
	reader *bufio.Reader
}

func (p *program) openConnection() *connection {
	p.t.Helper()
	conn, err := net.Dial("tcp", p.addr)
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = conn.Close() })
	return &connection{p.t, conn, bufio.NewReader(conn)}
}

// postAndRead posts a request and reads its answer.
func (c *connection) postAndRead(path string) heard {
	c.t.Helper()
	c.sendRequest(path)
	return c.receiveAnswer()
}

func (c *connection) sendRequest(path string) {
	c.t.Helper()
	request, err := http.NewRequest(http.MethodPost, "http://x"+path, strings.NewReader(`{}`))
	if err != nil {
		c.t.Fatal(err)
	}
	if err := request.Write(c.conn); err != nil {
		c.t.Fatal(err)
	}
}

// heard is an answer on a connection that is kept open.
type heard struct {
	status int
	// last is true when the server closes the connection after it.
	last bool
}

// receiveAnswer reads an answer to its end; the connection is then free again.
func (c *connection) receiveAnswer() heard {
	c.t.Helper()
	response, err := http.ReadResponse(c.reader, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		c.t.Fatal(err)
	}
	return heard{response.StatusCode, response.Close}
}
