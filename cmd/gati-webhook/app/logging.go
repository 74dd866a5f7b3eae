package app

import (
	"io"
	"time"

	"github.com/go-logr/zapr"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	crzap "sigs.k8s.io/controller-runtime/pkg/log/zap"
)

var zapLevels = map[string]zapcore.Level{
	"debug": zapcore.DebugLevel,
	"info":  zapcore.InfoLevel,
	"warn":  zapcore.WarnLevel,
	"error": zapcore.ErrorLevel,
}

// setLogger sends all logs of the process to one place: those of
// controller-runtime, client-go's klog, and the standard library's, where the HTTP
// servers log failed handshakes.
func setLogger(c *config, to io.Writer) {
	encoder := crzap.JSONEncoder(useISO8601)
	if c.LogFormat == "text" {
		encoder = crzap.ConsoleEncoder(useISO8601)
	}
	raw := crzap.NewRaw(
		crzap.WriteTo(to),
		encoder,
		crzap.Level(zapLevels[c.LogLevel]),
		// A stack does not explain an error that the API server returned.
		crzap.StacktraceLevel(zapcore.DPanicLevel),
	)
	logger := zapr.NewLogger(raw)
	ctrl.SetLogger(logger)
	klog.SetLoggerWithOptions(logger.WithName("client-go"), klog.ContextualLogger(true))
	// Unparsed text of others, at a level that no alert listens to.
	_, _ = zap.RedirectStdLogAt(raw, zapcore.DebugLevel)
}

func useISO8601(c *zapcore.EncoderConfig) {
	c.EncodeTime = zapcore.TimeEncoderOfLayout(time.RFC3339Nano)
}
