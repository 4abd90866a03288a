// Package mem says where bytes are. It is a leaf: a [Memory] is a range of
// bytes and the [Kind] of place it lies in, and a [Pool] hands out page-aligned
// slots outside the Go heap, pinned where the system allows it.
package mem
