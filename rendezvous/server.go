package rendezvous

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"syscall"
	"time"

	"github.com/ringo-ccl/ringo/internal/auth"
)

// ServerConfig says how a Server treats its clients. The zero value works.
type ServerConfig struct {
	// Token is the job's shared secret, which clients must prove to know. With
	// an empty one, whoever reaches the address may join.
	Token []byte
	// Log takes one line for each client that is refused or lost, with its
	// address and the reason. Nil discards them.
	Log *slog.Logger
	// HandshakeTimeout is how long a new connection has to prove that it knows
	// the token. Zero means 5 s.
	HandshakeTimeout time.Duration
	// Handshakes is how many connections may be in the handshake at once; more
	// are refused. Zero means 128.
	Handshakes int
	// Clients is how many clients may be connected at once; more are refused.
	// Zero means 4096.
	Clients int

	bodyTimeout time.Duration // for the rest of a frame whose header has come
}

func (c ServerConfig) withDefaults() ServerConfig {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.HandshakeTimeout == 0 {
		c.HandshakeTimeout = 5 * time.Second
	}
	if c.Handshakes == 0 {
		c.Handshakes = 128
	}
	if c.Clients == 0 {
		c.Clients = 4096
	}
	if c.bodyTimeout == 0 {
		c.bodyTimeout = silenceLimit
	}
	return c
}

// Server is a store that ranks reach by TCP, with Dial.
type Server struct {
	config   ServerConfig
	listener net.Listener
	table    *table
	places   chan struct{} // one for each connection in the handshake
	closing  chan struct{} // closed by Close
	all      sync.WaitGroup

	mu       sync.Mutex
	sessions map[net.Conn]*session // nil for those in the handshake
	clients  int                   // sessions that are not nil
}

// Serve listens on addr ("host:port"; an empty host means all interfaces, port
// 0 any free port) and serves an empty store there until Close. ctx bounds only
// the call.
func Serve(ctx context.Context, addr string, config ServerConfig) (*Server, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("rendezvous: port of %s is taken, perhaps by another job; set RINGO_STORE=tcp://HOST:PORT with a free port on all ranks: %w", addr, err)
	}
	if err != nil {
		return nil, fmt.Errorf("rendezvous: serve the store on %s: %w", addr, err)
	}
	return ServeListener(l, config), nil
}

// ServeListener serves an empty store on l, which it owns from now on.
func ServeListener(l net.Listener, config ServerConfig) *Server {
	s := &Server{
		config:   config.withDefaults(),
		listener: l,
		table:    newTable(),
		closing:  make(chan struct{}),
		sessions: make(map[net.Conn]*session),
	}
	s.places = make(chan struct{}, s.config.Handshakes)
	s.all.Go(s.accept)
	return s
}

// Addr is where the server listens, as "host:port".
func (s *Server) Addr() string { return s.listener.Addr().String() }

// Close ends the store: Gets that wait for a key that is there get its value,
// all others get ErrClosed, and wills are not executed. It returns when all connections are gone, at the latest after
// about a second.
func (s *Server) Close() error {
	s.mu.Lock()
	defer s.all.Wait()
	defer s.mu.Unlock()
	if s.isClosing() {
		return nil
	}
	close(s.closing)
	s.table.close()
	for conn, session := range s.sessions {
		if session == nil {
			conn.Close()
		} else {
			s.all.Go(session.goodbye)
		}
	}
	return s.listener.Close()
}

// accept takes connections until Close.
func (s *Server) accept() {
	for pause := time.Millisecond; ; {
		conn, err := s.listener.Accept()
		if err == nil {
			pause = time.Millisecond
			s.take(conn)
			continue
		}
		if errors.Is(err, net.ErrClosed) || s.isClosing() {
			return
		}
		s.config.Log.Warn("rendezvous store cannot accept; it tries again", "addr", s.Addr(), "reason", err, "pause", pause)
		select {
		case <-time.After(pause): // out of descriptors, mostly
		case <-s.closing:
			return
		}
		pause = min(2*pause, time.Second)
	}
}

// take starts the handshake of conn if there is a place for it.
func (s *Server) take(conn net.Conn) {
	select {
	case s.places <- struct{}{}:
	default:
		s.refuse(conn, fmt.Errorf("%d connections are in the handshake already", cap(s.places)))
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.isClosing() {
		conn.Close()
		return
	}
	s.sessions[conn] = nil
	s.all.Go(func() {
		s.serve(conn)
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.sessions[conn] != nil {
			s.clients--
		}
		delete(s.sessions, conn)
	})
}

// serve leads one connection through the handshake and its session.
func (s *Server) serve(conn net.Conn) {
	defer conn.Close()
	watchPeer(conn)
	conn.SetDeadline(time.Now().Add(s.config.HandshakeTimeout))
	err := auth.Server(conn, purpose, s.config.Token)
	<-s.places
	if err != nil {
		if !s.isClosing() {
			s.refuse(conn, err)
		}
		return
	}
	conn.SetDeadline(time.Time{})
	session := newSession(s, conn)
	switch err := s.admit(conn, session); {
	case err == nil:
		session.run()
	case !s.isClosing():
		session.drop(err)
		s.refuse(conn, err)
	}
}

// admit makes session known to Close, unless that was called already or there
// are too many.
func (s *Server) admit(conn net.Conn, session *session) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.isClosing() {
		return ErrClosed
	}
	if s.clients >= s.config.Clients {
		return fmt.Errorf("%d clients are connected already", s.clients)
	}
	s.sessions[conn] = session
	s.clients++
	return nil
}

// refuse hangs up on a connection that does not become a client.
func (s *Server) refuse(conn net.Conn, reason error) {
	s.config.Log.Warn("rendezvous store refused a connection", "remote", conn.RemoteAddr(), "reason", reason)
	conn.Close()
}

func (s *Server) isClosing() bool {
	select {
	case <-s.closing:
		return true
	default:
		return false
	}
}
