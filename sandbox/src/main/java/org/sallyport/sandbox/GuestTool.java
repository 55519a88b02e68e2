package org.sallyport.sandbox;

/**
 * A tool as a script sees it, by its original names (the guest turns them into identifiers).
 *
 * @param backend original name of the backend
 * @param tool original name of the tool
 */
public record GuestTool(String backend, String tool) {}
