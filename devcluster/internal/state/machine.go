package state

// Machine is what a cluster with a real node takes of the machine besides
// processes and files. Each part is named such that nobody else's is like it,
// because whoever reads this after a launcher was killed cannot know how far
// that came.
type Machine struct {
	// Slot numbers the cluster among those with a real node on this machine.
	// Its addresses follow from it.
	Slot int `json:"slot"`
	// Link and MAC name the network link between the machine and the node. A
	// link with that name and another MAC is somebody else's.
	Link string `json:"link"`
	MAC  string `json:"mac"`
	// Cgroup is the group that all containers are in.
	Cgroup string `json:"cgroup"`
}
