/**
 * The server's side of the workers: starts them, keeps some idle, binds each to one tenant, assigns sessions, and kills
 * workers that do not obey. Validates everything that a worker sends. Knows no script engine.
 */
@NullMarked
package org.sallyport.sandbox.pool;

import org.jspecify.annotations.NullMarked;
