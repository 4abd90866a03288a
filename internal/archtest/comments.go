package archtest

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"slices"
)

// findPackageComments finds packages without a comment. Packages of tests only
// need none.
func findPackageComments(t *Tree) (bad []Offence) {
	silent := map[string]bool{}
	for _, f := range t.Files {
		if f.Test {
			continue
		}
		if _, seen := silent[f.Dir]; !seen {
			silent[f.Dir] = true
		}
		if f.Syntax.Doc != nil {
			silent[f.Dir] = false
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(silent)) {
		if silent[dir] {
			bad = append(bad, Offence{File: dir, What: "the package has no comment"})
		}
	}
	return bad
}

// findComments finds exported names without a comment of their own or, for
// constants and variables, of their group.
func findComments(t *Tree) (bad []Offence) {
	for _, f := range t.Files {
		if f.Test || f.Generated {
			continue
		}
		for _, d := range f.Syntax.Decls {
			for _, name := range uncommented(d) {
				bad = append(bad, Offence{File: f.Path, Line: t.line(name), What: fmt.Sprintf("exported %s has no comment", name.Name)})
			}
		}
	}
	return bad
}

// uncommented returns the exported names that d declares without a comment.
func uncommented(d ast.Decl) (names []*ast.Ident) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Doc == nil && d.Name.IsExported() && !selfEvident(d) && exportedReceiver(d) {
			names = append(names, d.Name)
		}
	case *ast.GenDecl:
		if d.Doc != nil && (d.Tok != token.TYPE || !d.Lparen.IsValid()) {
			return nil
		}
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				if s.Doc == nil && s.Name.IsExported() {
					names = append(names, s.Name)
				}
			case *ast.ValueSpec:
				if s.Doc == nil && s.Comment == nil {
					names = append(names, exported(s.Names)...)
				}
			}
		}
	}
	return names
}

// exported returns the exported ones of names.
func exported(names []*ast.Ident) []*ast.Ident {
	return slices.DeleteFunc(slices.Clone(names), func(n *ast.Ident) bool { return !n.IsExported() })
}

// selfEvident reports whether d is a method that means the same on every type.
func selfEvident(d *ast.FuncDecl) bool {
	return d.Recv != nil && slices.Contains([]string{"Error", "Is", "String", "Unwrap"}, d.Name.Name)
}

// exportedReceiver reports whether d is a function, or a method of an exported
// type.
func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	t := d.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.ParenExpr:
			t = x.X
		case *ast.Ident:
			return x.IsExported()
		default:
			return true
		}
	}
}
