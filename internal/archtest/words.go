package archtest

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// forbidden says what no text of the repository may contain, and why. The
// patterns are written so that they do not match themselves. Matching is slow,
// so it is tried only on texts that contain one of the signs, in any case.
var forbidden = []struct {
	signs   []string
	pattern *regexp.Regexp
	why     string
}{
	{[]string{"todo", "fixme", "xxx", "hack"},
		regexp.MustCompile(`\b(TO[D]O|FIX[M]E|X[X]X|HA[C]K)\b`),
		"a note to oneself: do it, or say in words what is missing"},
	{[]string{"<<<<<<<", ">>>>>>>"},
		regexp.MustCompile(`(?m)^(<{7}|>{7}) `),
		"an unfinished merge"},
	{[]string{"/home/", "/users/", "/root/", "/work/"},
		regexp.MustCompile(`(?m)(^|[\s"'=(\x60])/(home|Users|root|work)/\w`),
		"a path of one machine"},
	{[]string{"issue", "ticket", "request", "pr "},
		regexp.MustCompile(`(?i)\b(issue|ticket|pull request|merge request|pr) #?[0-9]+\b`),
		"a number that means nothing elsewhere: say what it is about"},
}

// generated is the standard mark of generated text.
var generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

// findWords finds forbidden words in all text of the repository that somebody
// wrote.
func findWords(t *Tree) (bad []Offence) {
	for _, name := range slices.Sorted(maps.Keys(t.Texts)) {
		text := t.Texts[name]
		if generated.MatchString(text[:min(len(text), 1000)]) {
			continue
		}
		lower := strings.ToLower(text)
		for _, word := range forbidden {
			if !slices.ContainsFunc(word.signs, func(s string) bool { return strings.Contains(lower, s) }) {
				continue
			}
			for _, at := range word.pattern.FindAllStringIndex(text, -1) {
				line := 1 + strings.Count(text[:at[1]], "\n")
				bad = append(bad, Offence{File: name, Line: line,
					What: fmt.Sprintf("%q is %s", strings.TrimSpace(text[at[0]:at[1]]), word.why)})
			}
		}
	}
	return bad
}
