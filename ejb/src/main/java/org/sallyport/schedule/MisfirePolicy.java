package org.sallyport.schedule;

/** What happens to times that passed while no node was there to see them. */
public enum MisfirePolicy {
    /** They are left out. */
    NONE("none"),
    /** The last of them is made up for. */
    LAST("last"),
    /** Each is made up for, one after the other, but no more than the service allows: then the last ones. */
    ALL("all");

    private final String text;

    MisfirePolicy(String text) {
        this.text = text;
    }

    /** As clients write it. */
    public String text() {
        return text;
    }
}
