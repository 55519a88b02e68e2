/**
 * The only way to run untrusted scripts: {@link org.sallyport.sandbox.Sandbox} starts sessions, and a session reports
 * to a {@link org.sallyport.sandbox.SessionListener}. Knows nothing of databases, messages, tenants' rights, or of
 * tools beyond their names; it passes JSON text in and out and never interprets it. {@link
 * org.sallyport.sandbox.ExactNumberEncoder} prepares such text for scripts.
 */
@NullMarked
package org.sallyport.sandbox;

import org.jspecify.annotations.NullMarked;
