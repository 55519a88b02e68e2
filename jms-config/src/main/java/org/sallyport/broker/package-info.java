/**
 * The message broker: the resource adapter through which the application speaks JMS, the broker embedded in it, and the
 * configuration that an external broker shares.
 *
 * <p>Knows destinations, redelivery and limits; knows neither executions nor what the messages say.
 */
@NullMarked
package org.sallyport.broker;

import org.jspecify.annotations.NullMarked;
