package fish.payara.micro.impl;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Stands in for the main class of Payara Micro: prints its arguments and what it finds in its root directory. */
public final class PayaraMicroImpl {
    private PayaraMicroImpl() {}

    public static void main(String[] arguments) {
        Path root = Path.of(arguments[1]);
        System.out.println(arguments[0] + " " + List.of(arguments).subList(2, arguments.length) + " config "
                + Files.exists(root.resolve("config/domain.xml")) + " left " + Files.exists(root.resolve("left")));
        System.out.println(System.getProperty("fish.payara.micro.UnpackDir"));
    }
}
