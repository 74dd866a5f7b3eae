// The runtime's request metrics. The published runtime names them and exports none:
// its own client writes them to the debug log.
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

// The route of a request that no handler answers: its path is the client's to choose
// and would be a new series each time.
const unmatched = 'unmatched';

/** Metrics counts the requests of an application and shows them to Prometheus. */
export class Metrics {
  registry = new Registry();
  #router;

  /** @param {import('@gati-framework/runtime').GatiApp} app */
  constructor(app) {
    const registers = [this.registry];
    const labelNames = /** @type {const} */ (['method', 'route', 'status_code']);
    this.#router = app.getRouteManager();
    this.requests = new Counter({ name: 'gati_http_requests_total', help: 'Requests answered.', labelNames, registers });
    this.duration = new Histogram({
      name: 'gati_http_request_duration_seconds', help: 'From the arrival of a request to the end of its answer.', labelNames, registers,
      // A canary's latency limit is moved up to the next bound. Those of prom-client are among them.
      buckets: [0.001, 0.005, 0.01, 0.015, 0.025, 0.04, 0.05, 0.075, 0.1, 0.15, 0.25, 0.4, 0.5, 0.75, 1, 2.5, 5, 10, 30],
    });
    this.active = new Gauge({ name: 'gati_active_connections', help: 'Requests in flight.', registers });
    this.errors = new Counter({
      name: 'gati_errors_total', help: 'Requests answered with 500 or more, and those cut off.', labelNames: /** @type {const} */ (['type', 'route']), registers,
    });
    collectDefaultMetrics({ register: this.registry });
  }

  /** @param {import('@gati-framework/runtime').GatiApp} app */
  addRoute(app) {
    app.get('/metrics', async (_req, res) => {
      res.header('Content-Type', this.registry.contentType).send(await this.registry.metrics());
    });
  }

  /**
   * Counts a request once, when its answer is sent or its client has disconnected.
   * @param {import('node:http').IncomingMessage} req
   * @param {import('node:http').ServerResponse} res
   */
  watch(req, res) {
    const method = req.method ?? 'GET';
    const route = this.#findRoute(method, req.url ?? '/');
    const stop = this.duration.startTimer();
    this.active.inc();
    // "close" comes after every end; "finish" does not come when a client disconnects,
    // and the gauge would never go down again.
    res.once('close', () => {
      const labels = { method, route, status_code: res.writableFinished ? String(res.statusCode) : '499' };
      this.active.dec();
      this.requests.inc(labels);
      stop(labels);
      if (!res.writableFinished) this.errors.inc({ type: 'aborted', route });
      else if (res.statusCode >= 500) this.errors.inc({ type: 'server', route });
    });
  }

  /**
   * @param {string} method
   * @param {string} url
   */
  #findRoute(method, url) {
    try {
      const path = url.split('?', 1)[0];
      const match = this.#router.match(/** @type {any} */ (method), path) ?? (method === 'HEAD' ? this.#router.match('GET', path) : null);
      return match?.route.path ?? unmatched;
    } catch {
      return unmatched; // the router throws for a path that is not UTF-8
    }
  }
}
