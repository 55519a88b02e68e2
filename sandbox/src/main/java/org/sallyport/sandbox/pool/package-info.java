/**
 * The server's side of the workers: starts them, keeps some warm, binds each to one tenant, gives out sessions, and
 * kills what does not obey. Believes nothing a worker says without checking it. Knows no script engine.
 */
@NullMarked
package org.sallyport.sandbox.pool;

import org.jspecify.annotations.NullMarked;
