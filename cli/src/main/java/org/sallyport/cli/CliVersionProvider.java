package org.sallyport.cli;

import java.util.Objects;
import picocli.CommandLine.IVersionProvider;

/** The version of this program, as its archive says. */
final class CliVersionProvider implements IVersionProvider {

    /** Such as {@code 0.1.0}; {@code development} outside an archive. */
    static String text() {
        return Objects.toString(CliVersionProvider.class.getPackage().getImplementationVersion(), "development");
    }

    @Override
    public String[] getVersion() {
        return new String[] {"sallyport " + text()};
    }
}
