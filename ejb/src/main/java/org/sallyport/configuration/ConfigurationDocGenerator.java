package org.sallyport.configuration;

/** Renders the documentation page of all settings. */
public final class ConfigurationDocGenerator {
    private ConfigurationDocGenerator() {}

    /** Returns the page as Markdown. */
    public static String render() {
        StringBuilder page = new StringBuilder("""
                # Configuration

                Each setting is a system property or an environment variable of the server; the property takes
                precedence. With an unknown or invalid setting the service does not start, and names it. This page is
                generated from `Settings.java` and the other `*Settings.java`; a test compares them.

                | setting | variable | value | default | what it does |
                |---|---|---|---|---|
                """);
        for (Setting<?> setting : Settings.all()) {
            page.append("| `").append(setting.name()).append("` | `").append(setting.environmentVariable());
            page.append("` | ").append(setting.kind()).append(" | ");
            page.append(setting.defaultText().isEmpty() ? "" : "`" + setting.defaultText() + "`");
            page.append(" | ").append(setting.description()).append(" |\n");
        }
        return page.toString();
    }
}
