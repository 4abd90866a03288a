package archtest

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Tree is the source of a repository: all its modules, whatever the build tags.
type Tree struct {
	// Files are the Go files outside testdata, by path.
	Files []*File
	// Texts are all text files of reasonable size, Go files included, by path.
	Texts map[string]string

	fset *token.FileSet
}

// File is one Go file.
type File struct {
	// Path is relative to the repository's root, and Dir is its directory.
	Path, Dir string
	// Test says that this is a _test.go file, and Generated that it carries the
	// standard mark of generated code.
	Test, Generated bool
	// Syntax is what it says.
	Syntax *ast.File
}

// maxText is the size from which a file is data and not text, in bytes.
const maxText = 1 << 20

// Load reads the repository whose root is fsys.
func Load(fsys fs.FS) (*Tree, error) {
	t := &Tree{Texts: map[string]string{}, fset: token.NewFileSet()}
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && outside(name):
			return fs.SkipDir
		case !d.Type().IsRegular():
			return nil
		}
		return t.add(fsys, name)
	})
	if err != nil {
		return nil, fmt.Errorf("archtest: %w", err)
	}
	return t, nil
}

// outside reports whether the directory is no part of the source: hidden, with
// the exception of what runs in CI, or built.
func outside(dir string) bool {
	base := path.Base(dir)
	hidden := strings.HasPrefix(base, ".") && !slices.Contains([]string{".", ".ci", ".github"}, base)
	return hidden || dir == "bin" || dir == "out"
}

// add reads one file.
func (t *Tree) add(fsys fs.FS, name string) error {
	b, err := fs.ReadFile(fsys, name)
	if err != nil {
		return err
	}
	if len(b) >= maxText || bytes.IndexByte(b, 0) >= 0 {
		return nil
	}
	t.Texts[name] = string(b)
	if !strings.HasSuffix(name, ".go") || strings.Contains("/"+name, "/testdata/") {
		return nil
	}
	syntax, err := parser.ParseFile(t.fset, name, b, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	t.Files = append(t.Files, &File{
		Path: name, Dir: path.Dir(name),
		Test: strings.HasSuffix(name, "_test.go"), Generated: ast.IsGenerated(syntax),
		Syntax: syntax,
	})
	return nil
}

// line is where in its file n begins.
func (t *Tree) line(n ast.Node) int { return t.fset.Position(n.Pos()).Line }

// lines is the number of lines of f.
func (t *Tree) lines(f *File) int { return strings.Count(t.Texts[f.Path], "\n") }
