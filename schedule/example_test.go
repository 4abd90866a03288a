package schedule_test

import (
	"fmt"

	"github.com/ringo-ccl/ringo/schedule"
)

// A plan prints as one line per step.
func ExampleRing() {
	fmt.Print(schedule.Ring(3))
	// Output:
	// ringo schedule 1
	// allreduce ring ranks 3 chunks 3
	// rank 0
	//   send 2:3 to 1
	//   recvreduce 1:2 from 2
	//   send 1:2 to 1
	//   recvreduce 0:1 from 2
	//   finish 0:1
	//   send 0:1 to 1
	//   recv 2:3 from 2
	//   send 2:3 to 1
	//   recv 1:2 from 2
	// rank 1
	//   send 0:1 to 2
	//   recvreduce 2:3 from 0
	//   send 2:3 to 2
	//   recvreduce 1:2 from 0
	//   finish 1:2
	//   send 1:2 to 2
	//   recv 0:1 from 0
	//   send 0:1 to 2
	//   recv 2:3 from 0
	// rank 2
	//   send 1:2 to 0
	//   recvreduce 0:1 from 1
	//   send 0:1 to 0
	//   recvreduce 2:3 from 1
	//   finish 2:3
	//   send 2:3 to 0
	//   recv 1:2 from 1
	//   send 1:2 to 0
	//   recv 0:1 from 1
}

// Without its last step, rank 0 lacks a chunk, and a message goes astray.
func ExampleCheck() {
	p := schedule.Ring(4)
	fmt.Println(schedule.Check(p))
	last := len(p.Steps[0]) - 1
	p.Steps[0] = p.Steps[0][:last]
	fmt.Println(schedule.Check(p))
	// Output:
	// <nil>
	// schedule: rank 3 step 11 (send 1:2 to 0): rank 0 has no receive left for it
}

func ExampleRankOrdered() {
	fmt.Println(schedule.RankOrdered(schedule.Ring(4)), schedule.RankOrdered(schedule.Chain(4)))
	// Output: false true
}

// The ring 0→2→1→0.
func ExamplePermute() {
	p, err := schedule.Permute(schedule.RingAllGather(3), []int{0, 2, 1})
	fmt.Println(p.Steps[0], err)
	// Output: [send 0:1 to 2 recv 1:2 from 1 send 1:2 to 2 recv 2:3 from 1] <nil>
}

func ExamplePlan_Deps() {
	p := schedule.RingReduceScatter(3)
	deps := p.Deps(0)
	for i, s := range p.Steps[0] {
		fmt.Println(i, s, deps[i])
	}
	// Output:
	// 0 send 2:3 to 1 []
	// 1 recvreduce 1:2 from 2 []
	// 2 send 1:2 to 1 [1]
	// 3 recvreduce 0:1 from 2 []
	// 4 finish 0:1 [3]
}

func ExampleParse() {
	p, err := schedule.Parse([]byte(`ringo schedule 1
allreduce star ranks 2 chunks 1
rank 0
  recvreduce 0:1 from 1
  finish 0:1
  send 0:1 to 1
rank 1
  send 0:1 to 0
  recv 0:1 from 0
`))
	fmt.Println(p.Name, err, schedule.Check(p))
	_, err = schedule.Parse([]byte("ringo schedule 1\nallreduce star ranks 2 chunks 1\nrank 0\n  send 0:2 to 1\n"))
	fmt.Println(err)
	// Output:
	// star <nil> <nil>
	// schedule: line 4: send 0:2 to 1: chunks 0:2 leave the plan's 1 chunks
}
