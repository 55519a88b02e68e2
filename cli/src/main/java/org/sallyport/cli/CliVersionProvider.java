package org.sallyport.cli;

import java.util.Objects;
import picocli.CommandLine.IVersionProvider;

/** Reads the version of this program from the manifest of its archive. */
final class CliVersionProvider implements IVersionProvider {

    /** Returns the version, such as {@code 0.1.0}; {@code development} outside an archive. */
    static String text() {
        return Objects.toString(CliVersionProvider.class.getPackage().getImplementationVersion(), "development");
    }

    @Override
    public String[] getVersion() {
        return new String[] {"sallyport " + text()};
    }
}
