//go:build !amd64 || purego

package reduce

// vector returns no variant: there is no assembly for this build.
func vector(operation, Type) []Variant { return nil }

// vectorQuotients returns none: there is no assembly for this build.
func vectorQuotients(Type, finisher) []finisher { return nil }
