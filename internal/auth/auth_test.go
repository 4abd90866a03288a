package auth

import (
	"bytes"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
)

const purpose = "ringo test v1"

// exchange runs both ends over a pipe and returns what each answered.
func exchange(clientPurpose, serverPurpose, clientToken, serverToken string) (client, server error) {
	c, s := net.Pipe()
	done := make(chan error, 1)
	go func() {
		defer s.Close()
		done <- Server(s, serverPurpose, []byte(serverToken))
	}()
	client = Client(c, clientPurpose, []byte(clientToken))
	c.Close()
	return client, <-done
}

func TestSameToken(t *testing.T) {
	for _, token := range []string{"", "x", NewToken()} {
		if client, server := exchange(purpose, purpose, token, token); client != nil || server != nil {
			t.Errorf("token %q: client %v, server %v", token, client, server)
		}
	}
}

func TestWrongTokenIsSaidToBothEnds(t *testing.T) {
	for _, pair := range [][2]string{{"a", "b"}, {"", "b"}, {"a", ""}} {
		client, server := exchange(purpose, purpose, pair[0], pair[1])
		if !errors.Is(client, ErrToken) || !errors.Is(server, ErrToken) {
			t.Errorf("%q: client %v, server %v", pair, client, server)
		}
	}
}

func TestOtherPurposeNamesBoth(t *testing.T) {
	client, server := exchange("ringo test v2", purpose, "t", "t")
	for _, err := range []error{client, server} {
		var v *VersionError
		if !errors.As(err, &v) {
			t.Fatalf("%v is no VersionError", err)
		}
		for _, want := range []string{"ringo test v1", "ringo test v2"} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%q does not name %q", err, want)
			}
		}
	}
}

func TestPurposeIsChecked(t *testing.T) {
	for _, p := range []string{"", strings.Repeat("p", purposeSize+1)} {
		if err := Client(nil, p, nil); err == nil {
			t.Errorf("Client took purpose %q", p)
		}
		if err := Server(nil, p, nil); err == nil {
			t.Errorf("Server took purpose %q", p)
		}
	}
}

// said is a peer that says fixed bytes and remembers what it was told.
type said struct {
	io.Reader
	told bytes.Buffer
}

func (s *said) Write(p []byte) (int, error) { return s.told.Write(p) }

func TestStrangers(t *testing.T) {
	for name, text := range map[string]string{
		"http":  "GET / HTTP/1.1\r\n\r\n",
		"tls":   "\x16\x03\x01\x02\x00\x01\x00",
		"short": "X",
		"ssh":   "SSH-2.0-OpenSSH_9.6\r\n",
	} {
		peer := &said{Reader: strings.NewReader(text)}
		if err := Server(peer, purpose, nil); !errors.Is(err, ErrStranger) {
			t.Errorf("%s: server says %v", name, err)
		}
		if peer.told.Len() != 0 {
			t.Errorf("%s: server answered a stranger with %q", name, peer.told.Bytes())
		}
		if err := Client(&said{Reader: strings.NewReader(text)}, purpose, nil); !errors.Is(err, ErrStranger) {
			t.Errorf("%s: client says %v", name, err)
		}
	}
}

func TestStrangerIsRefusedAfterFiveBytes(t *testing.T) {
	r := strings.NewReader("GET / HTTP/1.1\r\n\r\n")
	before := r.Len()
	Server(&said{Reader: r}, purpose, nil)
	if read := before - r.Len(); read > preambleSize {
		t.Errorf("server read %d bytes of a stranger", read)
	}
}

func TestOtherHandshakeVersion(t *testing.T) {
	rest := strings.NewReader(magic + "\x09" + strings.Repeat("x", helloSize-preambleSize))
	peer := &said{Reader: rest}
	err := Server(peer, purpose, nil)
	if rest.Len() > 0 || peer.told.Len() != helloSize || !strings.HasPrefix(peer.told.String(), magic) {
		t.Errorf("the server left %d bytes and told the client %q", rest.Len(), peer.told.Bytes())
	}
	if err == nil || !strings.Contains(err.Error(), "v1") || !strings.Contains(err.Error(), "v9") {
		t.Errorf("%v does not name both versions", err)
	}
}

func TestHangUpIsNoStranger(t *testing.T) {
	if err := Server(&said{Reader: strings.NewReader("")}, purpose, nil); !errors.Is(err, io.EOF) {
		t.Errorf("got %v", err)
	}
	if err := Client(&said{Reader: strings.NewReader(magic)}, purpose, nil); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("got %v", err)
	}
}

func TestReflectedProofIsRefused(t *testing.T) {
	// A server that knows no token and sends the client's own bytes back.
	c, s := net.Pipe()
	go func() {
		defer s.Close()
		var hello [helloSize]byte
		io.ReadFull(s, hello[:])
		s.Write(hello[:])
		var mac [macSize]byte
		io.ReadFull(s, mac[:])
		s.Write(verdict(statusWelcome, mac))
	}()
	if err := Client(c, purpose, []byte("secret")); !errors.Is(err, ErrToken) {
		t.Errorf("got %v", err)
	}
}

func TestNewToken(t *testing.T) {
	if a, b := NewToken(), NewToken(); a == b || len(a) != 64 {
		t.Errorf("%q, %q", a, b)
	}
}

func FuzzServer(f *testing.F) {
	f.Add([]byte("GET / HTTP/1.1\r\n\r\n"))
	h, _ := newHello(purpose)
	var good bytes.Buffer
	h.write(&good)
	f.Add(append(good.Bytes(), make([]byte, macSize)...))
	f.Fuzz(func(t *testing.T, text []byte) {
		if Server(&said{Reader: bytes.NewReader(text)}, purpose, []byte("secret")) == nil {
			t.Fatal("fixed bytes passed a fresh challenge")
		}
	})
}

func FuzzClient(f *testing.F) {
	f.Add([]byte("HTTP/1.1 400 Bad Request\r\n\r\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if Client(&said{Reader: bytes.NewReader(text)}, purpose, []byte("secret")) == nil {
			t.Fatal("fixed bytes passed a fresh challenge")
		}
	})
}
