// gati-kubernetes runs an application of @gati-framework/runtime as its pods on
// Kubernetes need it. README.md has the options, index.d.ts the types.
export { attach, serve } from './serve.js';
export { serveModule } from './module.js';
export { addModule, remoteModule } from './modules.js';
export { OptionError } from './options.js';
export { defineHandler } from './define.js';
