package org.sallyport.catalog;

/**
 * A named set of tools.
 *
 * @param name its name
 * @param kind the kind of connector that speaks to it
 * @param queue the queue its connector takes calls from
 */
public record Backend(String name, String kind, String queue) {}
