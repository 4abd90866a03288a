package rendezvous

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
)

// Open opens the store that l names, and serves it first where l says that this
// rank does. It waits for a TCP store until ctx ends; see Dial.
//
// end is never nil without an error. Close the store first and then, once no
// rank needs the store any more, end: it closes the server of the rank that
// serves, and in rank 0 removes the keys of a file store. Elsewhere it does
// nothing. log may be nil; see ServerConfig.Log.
func Open(ctx context.Context, l Launch, log *slog.Logger) (s Store, end io.Closer, err error) {
	if l.Store == "" {
		if l.Ranks > 1 {
			return nil, nil, fmt.Errorf("rendezvous: %d ranks and no store where they could meet", l.Ranks)
		}
		return NewMemory(), closer(nothing), nil
	}
	a, err := parseAddress(l.Store)
	if err != nil {
		return nil, nil, fmt.Errorf("rendezvous: store %q: %w", l.Store, err)
	}
	switch {
	case a.dir != "":
		return openDir(a.dir, l.Rank == 0)
	case l.Serve:
		return openServed(ctx, a.hostPort, l.Token, log)
	}
	s, err = Dial(ctx, a.hostPort, l.Token)
	if err != nil {
		return nil, nil, err
	}
	return s, closer(nothing), nil
}

// closer is an io.Closer made of a function.
type closer func() error

func (c closer) Close() error { return c() }

func nothing() error { return nil }

// openDir opens a file store, which last removes at its end.
func openDir(dir string, last bool) (Store, io.Closer, error) {
	f, err := OpenFile(dir)
	if err != nil {
		return nil, nil, err
	}
	if last {
		return f, closer(f.RemoveAll), nil
	}
	return f, closer(nothing), nil
}

// openServed serves a store at hostPort and connects to it. It listens on all
// interfaces, since the name by which others reach this host need not be one
// that this host has, but on loopback only where hostPort says that.
func openServed(ctx context.Context, hostPort string, token []byte, log *slog.Logger) (Store, io.Closer, error) {
	host, port, err := net.SplitHostPort(hostPort)
	if err != nil {
		return nil, nil, fmt.Errorf("rendezvous: %w", err)
	}
	listen := net.JoinHostPort("", port)
	ip := net.ParseIP(host)
	if ip.IsLoopback() || host == "localhost" {
		listen = hostPort
	} else if len(token) == 0 && log != nil {
		log.Warn("rendezvous store without a token: whoever reaches it may join; set RINGO_TOKEN", "addr", listen)
	}
	server, err := Serve(ctx, listen, ServerConfig{Token: token, Log: log})
	if err != nil {
		return nil, nil, err
	}
	s, err := Dial(ctx, server.Addr(), token) // an unspecified host is this one
	if err != nil {
		return nil, nil, errors.Join(err, server.Close())
	}
	return s, server, nil
}
