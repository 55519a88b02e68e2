package org.sallyport.schedule;

/** How missed times of a schedule are handled. */
public enum MisfirePolicy {
    /** Missed times are skipped. */
    NONE("none"),
    /** The latest missed time is made up for. */
    LAST("last"),
    /** All missed times are made up for, in order, up to the service's maximum; beyond it only the latest ones. */
    ALL("all");

    private final String text;

    MisfirePolicy(String text) {
        this.text = text;
    }

    /** Returns the name in the API. */
    public String text() {
        return text;
    }
}
