/**
 * The least that the work of one execution costs on this machine: the bare broker and the bare database, without a service
 * around them. Knows the broker's configuration as it ships, and nothing of the service.
 */
@NullMarked
package org.sallyport.bench.floor;

import org.jspecify.annotations.NullMarked;
