package fish.payara.micro.impl;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.sallyport.starting.ServerMain;

/**
 * Fake main class of Payara Micro. Prints its arguments and whether two files exist in its root directory. Deploys the
 * application unless {@link #WITHOUT_APPLICATION} is among the arguments; like the real one it returns in both cases.
 */
public final class PayaraMicroImpl {
    public static final String WITHOUT_APPLICATION = "--without-application";

    private PayaraMicroImpl() {}

    public static void main(String[] arguments) {
        Path root = Path.of(arguments[1]);
        System.out.println(arguments[0] + " " + List.of(arguments).subList(2, arguments.length) + " config "
                + Files.exists(root.resolve("config/domain.xml")) + " left " + Files.exists(root.resolve("left")));
        System.out.println(System.getProperty("fish.payara.micro.UnpackDir"));
        if (!List.of(arguments).contains(WITHOUT_APPLICATION)) {
            ServerMain.releasePort();
        }
    }
}
