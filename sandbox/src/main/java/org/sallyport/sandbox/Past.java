package org.sallyport.sandbox;

/**
 * What a run has in common with the earlier runs of the same execution. With it, and with the same answers in the same
 * order, a script does the same again.
 *
 * @param seed what all chance of the script comes from; any text, empty for one made up by the sandbox
 * @param log all that was told to {@link SessionListener#recorded} so far, one after the other
 * @param replies how many calls had been answered: answers beyond these are new
 */
public record Past(String seed, String log, long replies) {
    /** That of a first run whose chance nobody has to know. */
    public static final Past NONE = new Past("", "", 0);

    /** Characters that all of a log may have. */
    public static final int MAX_LOG = 1_000_000;

    /** That of a first run. */
    public static Past of(String seed) {
        return new Past(seed, "", 0);
    }
}
