// Command arbench measures Ringo's collectives and checks every element of
// their results. By itself it starts the ranks as processes of this machine;
// under a launcher (torchrun, mpirun, srun, a Kubernetes indexed Job) it is one
// rank.
//
//	arbench -np 4 -b 1K -e 64M
//	mpirun -n 8 arbench -C reducescatter -d bfloat16 -J result.json
//	arbench plan -a ring -np 4 --check
//
// Its flags, its table and its exit status follow nccl-tests where that has
// them; arbench -h lists all.
package main
