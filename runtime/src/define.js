// A handler with the types of its body and of its answers.

/** @type {typeof import('../index.d.ts').defineHandler} */
export const defineHandler = (handler) => /** @type {any} */ (handler);
