package org.sallyport.sandbox;

/**
 * How often a script used one name that scripts do not have: a global of another runtime, or a module that is not
 * registered.
 *
 * @param kind what the script used
 * @param name the name with the member that it used, at most {@value #MAX_NAME_LENGTH} characters; empty for all names
 *     of the kind after the first {@value #MAX_NAMES}
 * @param count from 1 to {@value #MAX_COUNT}, where it stops
 */
public record BlockedAccess(BlockedAccessKind kind, String name, long count) {
    /** Maximum number of names that are counted separately, per kind. */
    public static final int MAX_NAMES = 10;

    public static final int MAX_NAME_LENGTH = 100;
    public static final long MAX_COUNT = 1_000_000_000;

    /**
     * Returns a name of at most {@value #MAX_NAME_LENGTH} characters. A longer one ends with '…', which a redactor
     * takes for a place where a secret may have been cut.
     */
    public static String truncateName(String name) {
        if (name.length() <= MAX_NAME_LENGTH) {
            return name;
        }
        boolean splits = Character.isHighSurrogate(name.charAt(MAX_NAME_LENGTH - 2));
        return name.substring(0, splits ? MAX_NAME_LENGTH - 2 : MAX_NAME_LENGTH - 1) + '…';
    }

    /** What a script used. */
    public enum BlockedAccessKind {
        GLOBAL,
        MODULE
    }
}
