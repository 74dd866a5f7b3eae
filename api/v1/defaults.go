package v1

// The static defaults, equal to those in the CRDs.
const (
	DefaultHandlerPort    = 3000
	DefaultModulePort     = 50051
	DefaultReplicas       = 1
	DefaultHealthPath     = "/health"
	DefaultHealthInterval = Duration("10s")
	DefaultHealthTimeout  = Duration("3s")
	DefaultHealthFailures = 3

	DefaultProgressDeadline = Duration("10m")
	DefaultRollbackWindow   = Duration("10m")
	DefaultDrainWindow      = Duration("5m")
	DefaultDrainDeadline    = Duration("1h")
	DefaultColdAfter        = Duration("7d")
	DefaultMinAge           = Duration("1h")

	DefaultCheckTimeout = Duration("5m")

	DefaultAnalysisInterval = Duration("15s")
	DefaultConfidence       = Percent("99")
	DefaultDetect           = 5
	DefaultHarm             = 100
	// The defaults of queries.
	DefaultAnalysisWindow = Duration("1m")
	DefaultFailureLimit   = 2
	DefaultMinSamples     = 20
)

// SetDefaults fills in the static defaults like the API server. It is idempotent and
// keeps the user's values.
func (s *GatiHandlerSpec) SetDefaults() {
	setDefault(&s.Port, DefaultHandlerPort)
	setDefault(&s.Replicas, DefaultReplicas)
	ensure(&s.HealthCheck).SetDefaults()
	ensure(&s.Rollout).SetDefaults()
	ensure(&s.Versions).SetDefaults()
	if s.Autoscaling != nil {
		s.Autoscaling.SetDefaults()
	}
}

// SetDefaults fills in the static defaults like the API server.
func (s *GatiModuleSpec) SetDefaults() {
	setDefault(&s.Port, DefaultModulePort)
	setDefault(&s.Replicas, DefaultReplicas)
	ensure(&s.HealthCheck).SetDefaults()
	if s.Autoscaling != nil {
		s.Autoscaling.SetDefaults()
	}
	if s.Rollout != nil {
		s.Rollout.SetDefaults()
	}
}

// SetDefaults fills in the static defaults like the API server.
func (r *ModuleRollout) SetDefaults() {
	setText(&r.ProgressDeadline, DefaultProgressDeadline)
	setDefault(&r.AutoRollback, true)
}

// SetDefaults fills in the static defaults like the API server.
func (h *HealthCheck) SetDefaults() {
	setText(&h.Type, HealthCheckHTTP)
	setText(&h.Path, DefaultHealthPath)
	setText(&h.Interval, DefaultHealthInterval)
	setText(&h.Timeout, DefaultHealthTimeout)
	setDefault(&h.FailureThreshold, DefaultHealthFailures)
}

// SetDefaults fills in the static defaults like the API server.
func (h *ModuleHealthCheck) SetDefaults() {
	setText(&h.Type, HealthCheckTCP)
	setText(&h.Interval, DefaultHealthInterval)
	setText(&h.Timeout, DefaultHealthTimeout)
	setDefault(&h.FailureThreshold, DefaultHealthFailures)
}

// FitTimes adjusts a default time to the user's other time: a default never makes a
// probe longer than its interval. The API server stores defaults, so a stored default
// cannot be told from the same value set by a user.
func (h *HealthCheck) FitTimes() {
	if h.Timeout.Or(0) <= h.Interval.Or(0) {
		return
	}
	switch {
	case h.Timeout == DefaultHealthTimeout:
		h.Timeout = h.Interval
	case h.Interval == DefaultHealthInterval:
		h.Interval = h.Timeout
	}
}

// FitTimes is FitTimes of HealthCheck.
func (h *ModuleHealthCheck) FitTimes() { (*HealthCheck)(h).FitTimes() }

// SetDefaults fills in the static defaults like the API server.
func (a *Autoscaling) SetDefaults() {
	setDefault(&a.Enabled, false)
}

// SetDefaults fills in the static defaults like the API server.
func (r *Rollout) SetDefaults() {
	setText(&r.Strategy, StrategyRollingUpdate)
	setText(&r.ProgressDeadline, DefaultProgressDeadline)
	setText(&r.RollbackWindow, DefaultRollbackWindow)
	setDefault(&r.AutoRollback, true)
	if r.Analysis != nil {
		r.Analysis.SetDefaults()
	}
	if r.AutoSteps != nil {
		setDefault(&r.AutoSteps.Harm, DefaultHarm)
	}
	for i := range r.Checks {
		setText(&r.Checks[i].Timeout, DefaultCheckTimeout)
		setText(&r.Checks[i].Inconclusive, InconclusiveFail)
	}
}

// SetDefaults fills in the static defaults like the API server.
func (a *Analysis) SetDefaults() {
	setText(&a.Interval, DefaultAnalysisInterval)
	setText(&a.Confidence, DefaultConfidence)
	setDefault(&a.Detect, DefaultDetect)
	setText(&a.Inconclusive, InconclusivePass)
	setText(&a.Window, DefaultAnalysisWindow)
	setText(&a.Mode, AnalysisBackground)
	setDefault(&a.FailureLimit, DefaultFailureLimit)
	setDefault(&a.MinSamples, DefaultMinSamples)
	setText(&a.NoData, NoDataWait)
}

// SetDefaults fills in the static defaults like the API server.
func (p *VersionPolicy) SetDefaults() {
	setText(&p.Compatibility, CompatibilityBackward)
	setDefault(&p.Transitive, false)
	drain := ensure(&p.Drain)
	setText(&drain.Window, DefaultDrainWindow)
	setText(&drain.Deadline, DefaultDrainDeadline)
	setText(&p.ColdAfter, DefaultColdAfter)
	setDefault(&p.MinActive, 1)
	setText(&p.MinAge, DefaultMinAge)
	setDefault(&p.HistoryLimit, 10)
	if p.ProtectedTags == nil {
		p.ProtectedTags = []Tag{"stable", "production", "latest"}
	}
}

// setDefault sets a pointer that is nil.
func setDefault[T any](field **T, value T) {
	if *field == nil {
		*field = &value
	}
}

// setText sets a text that is empty.
func setText[T ~string](field *T, value T) {
	if *field == "" {
		*field = value
	}
}

// ensure returns the value of a pointer, after allocating it if nil.
func ensure[T any](field **T) *T {
	if *field == nil {
		*field = new(T)
	}
	return *field
}
