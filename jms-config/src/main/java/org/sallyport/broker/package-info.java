/**
 * The message broker: the JMS resource adapter of the application, the broker embedded in it, and the configuration
 * that an external broker shares.
 *
 * <p>Knows destinations, redelivery and limits; knows neither executions nor the content of messages.
 */
@NullMarked
package org.sallyport.broker;

import org.jspecify.annotations.NullMarked;
