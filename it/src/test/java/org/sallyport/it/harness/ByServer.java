package org.sallyport.it.harness;

import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.ClassDescriptor;
import org.junit.jupiter.api.ClassOrderer;
import org.junit.jupiter.api.ClassOrdererContext;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The order in which test classes begin. Two threads run them: one takes classes from the beginning of the list, the other from its
 * end. Those that use the same server stand together, and those that wait for no other class stand in the middle: so the two threads
 * seldom want the same server.
 */
public final class ByServer implements ClassOrderer {
    @Override
    public void orderClasses(ClassOrdererContext context) {
        context.getClassDescriptors()
                .sort(Comparator.<ClassDescriptor>comparingInt(test -> place(test))
                        .thenComparing(test -> test.getTestClass().getName()));
    }

    private static int place(ClassDescriptor test) {
        boolean shares = test.findAnnotation(ExtendWith.class)
                .filter(extension -> List.of(extension.value()).contains(Servers.class))
                .isPresent();
        if (!shares) {
            return 1;
        }
        return switch (Servers.profileOf(test.getTestClass())) {
            case PLAIN -> 0;
            case RICH -> 2;
            case PARKING -> 3;
            case SMALL -> 4;
        };
    }
}
