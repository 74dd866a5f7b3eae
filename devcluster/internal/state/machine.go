package state

// Machine has the parts of the machine that a cluster with a real node takes
// besides processes and files. Each has a unique name, because a later launcher
// cannot know how far a killed one came.
type Machine struct {
	// Slot numbers the cluster among those with a real node on this machine.
	// Its addresses follow from it.
	Slot int `json:"slot"`
	// Link and MAC name the network link between the machine and the node. A link
	// with that name and another MAC belongs to another owner.
	Link string `json:"link"`
	MAC  string `json:"mac"`
	// Cgroup is the group that all containers are in.
	Cgroup string `json:"cgroup"`
}
