package org.sallyport.sandbox.isolation;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * What the operating system keeps from workers here. Found by trying, in this order, until a worker's rehearsal
 * succeeds:
 *
 * <ol>
 *   <li>namespaces by {@code unshare} with a file system of their own by {@code mount}, limits by {@code prlimit},
 *       privileges dropped by {@code setpriv}: everything;
 *   <li>{@code bwrap} with {@code prlimit} and {@code setpriv}: everything;
 *   <li>each namespace, the limits, an own user and the privileges alone, as far as each works: all that worked, and
 *       never {@code own-files}.
 * </ol>
 *
 * <p>Immutable.
 */
public final class Isolation {
    private final Enclosure enclosure;

    private Isolation(Enclosure enclosure) {
        this.enclosure = enclosure;
    }

    /** Nothing at all. */
    public static Isolation none() {
        return new Isolation(new Remainder(List.of()));
    }

    /** Tries what is there; takes up to a second. */
    public static Isolation detect(Programs programs, Surroundings surroundings) {
        return detect(programs, surroundings, Trial.in(surroundings.cell().directory()));
    }

    static Isolation detect(Programs programs, Surroundings surroundings, Trial trial) {
        return new Isolation(new Detection(programs, surroundings, trial).best());
    }

    /** The command that runs a worker's {@code command} with all that was found. */
    public List<String> around(Cell cell, List<String> command) {
        return enclosure.around(cell, command);
    }

    /** Whether workers have it here. */
    public boolean has(Means means) {
        return enclosure.means().contains(means);
    }

    /** Names of what workers have. */
    public List<String> present() {
        return names(enclosure.means());
    }

    /** Names of what workers lack. */
    public List<String> missing() {
        Set<Means> lacking = EnumSet.allOf(Means.class);
        lacking.removeAll(enclosure.means());
        return names(lacking);
    }

    private static List<String> names(Set<Means> means) {
        return means.stream().sorted().map(Means::text).toList();
    }
}
