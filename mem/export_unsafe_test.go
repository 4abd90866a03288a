package mem

import "unsafe"

// Address is where m begins.
func Address(m Memory) uintptr { return uintptr(unsafe.Pointer(&m.b[0])) }
