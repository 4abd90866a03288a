package rendezvous

import (
	"fmt"
	"strings"
)

// A file store keeps each key in a file of its own. The file's name is the key
// with every unusual byte written as %XX. Names longer than a file system takes
// (255 bytes) are cut into directories whose names end in '+', which no escaped
// key contains.
const (
	pieceSize = 200
	pieceEnd  = "+/"
)

// fileName is the path of key below the store's directory, with slashes.
func fileName(key string) string {
	var name strings.Builder
	for i := range len(key) {
		if !plain(key[i]) {
			fmt.Fprintf(&name, "%%%02X", key[i])
		} else {
			name.WriteByte(key[i])
		}
	}
	var path strings.Builder
	rest := name.String()
	for len(rest) > pieceSize {
		path.WriteString(rest[:pieceSize] + pieceEnd)
		rest = rest[pieceSize:]
	}
	return path.String() + rest
}

// fileKey is the key whose fileName is path, if there is one.
func fileKey(path string) (key string, ok bool) {
	name := strings.ReplaceAll(path, pieceEnd, "")
	var b strings.Builder
	for i := 0; i < len(name); i++ {
		if name[i] != '%' {
			b.WriteByte(name[i])
			continue
		}
		if i+2 >= len(name) {
			return "", false
		}
		hi, lo := unhex(name[i+1]), unhex(name[i+2])
		b.WriteByte(hi<<4 | lo)
		i += 2
	}
	key = b.String()
	return key, key != "" && len(key) <= MaxKey && fileName(key) == path
}

// plain bytes stand for themselves in a file name. The dot is not one of them:
// no key may spell "..", and the store's own temporary files begin with it.
func plain(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '_'
}

// unhex is the value of a digit; fileKey's round trip refuses what is none.
func unhex(c byte) byte {
	switch {
	case '0' <= c && c <= '9':
		return c - '0'
	case 'A' <= c && c <= 'F':
		return c - 'A' + 10
	}
	return 0
}
