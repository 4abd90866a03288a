package archtest

import (
	"fmt"
	"go/ast"
	"path"
	"slices"
	"strconv"
)

// exits are the functions that end the process.
var exits = []string{"os.Exit", "syscall.Exit", "log.Fatal", "log.Fatalf", "log.Fatalln"}

// findExits finds calls that end the process outside main. Tests may: they
// play the processes that die.
func findExits(t *Tree) (bad []Offence) {
	for _, f := range t.Files {
		if f.Test || f.Syntax.Name.Name == "main" {
			continue
		}
		bad = append(bad, t.calls(f, exits...)...)
	}
	return bad
}

// findPanics finds panics outside tests and generated code.
func findPanics(t *Tree) (bad []Offence) {
	for _, f := range t.Files {
		if !f.Test && !f.Generated {
			bad = append(bad, t.calls(f, "panic")...)
		}
	}
	return bad
}

// findSleeps finds tests that sleep.
func findSleeps(t *Tree) (bad []Offence) {
	for _, f := range t.Files {
		if f.Test {
			bad = append(bad, t.calls(f, "time.Sleep")...)
		}
	}
	return bad
}

// findInit finds init functions.
func findInit(t *Tree) (bad []Offence) {
	for _, f := range t.Files {
		for _, d := range f.Syntax.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
				bad = append(bad, Offence{File: f.Path, Line: t.line(fn), What: "func init"})
			}
		}
	}
	return bad
}

// calls finds where f calls one of the functions, each named as in "os.Exit" or
// "panic", whatever f calls the package.
func (t *Tree) calls(f *File, functions ...string) (bad []Offence) {
	packages := localNames(f)
	for _, d := range f.Syntax.Decls {
		around := "var"
		if fn, ok := d.(*ast.FuncDecl); ok {
			around = fn.Name.Name
		}
		ast.Inspect(d, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				if name := callee(call, packages); slices.Contains(functions, name) {
					bad = append(bad, Offence{f.Path, t.line(call), around, fmt.Sprintf("%s calls %s", around, name)})
				}
			}
			return true
		})
	}
	return bad
}

// callee names the function that is called, in the form that calls expects.
func callee(call *ast.CallExpr, packages map[string]string) string {
	switch fun := call.Fun.(type) {
	case *ast.Ident:
		return fun.Name
	case *ast.SelectorExpr:
		if x, ok := fun.X.(*ast.Ident); ok && packages[x.Name] != "" {
			return packages[x.Name] + "." + fun.Sel.Name
		}
	}
	return ""
}

// localNames maps what f calls its imports to their paths.
func localNames(f *File) map[string]string {
	names := map[string]string{}
	for _, i := range f.Syntax.Imports {
		p, _ := strconv.Unquote(i.Path.Value) // the parser has checked it
		if i.Name != nil {
			names[i.Name.Name] = p
		} else {
			names[path.Base(p)] = p
		}
	}
	return names
}
