package org.sallyport.it.harness;

import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.ClassDescriptor;
import org.junit.jupiter.api.ClassOrderer;
import org.junit.jupiter.api.ClassOrdererContext;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The order in which test classes begin. Three threads run them: two take classes from the beginning of the list, one
 * from its end. Classes with servers of their own, which take longest, stand first, with the few of {@link
 * ServerProfile#FAILPOINTS} and {@link ServerProfile#POSTGRESQL} between them; those that use one of the two servers of
 * {@link ServerProfile#PLAIN} follow; those of another profile with one server stand together at the end, so that one
 * thread runs them. Within each group, classes with an {@link Order} come first.
 */
public final class ServerClassOrderer implements ClassOrderer {
    @Override
    public void orderClasses(ClassOrdererContext context) {
        context.getClassDescriptors()
                .sort(Comparator.<ClassDescriptor>comparingInt(test -> rank(test))
                        .thenComparingInt(test -> test.findAnnotation(Order.class)
                                .map(Order::value)
                                .orElse(Order.DEFAULT))
                        // Reverse order puts the classes of subpackages first, which take longest.
                        .thenComparing(test -> test.getTestClass().getName(), Comparator.reverseOrder()));
    }

    private static int rank(ClassDescriptor test) {
        boolean shares = test.findAnnotation(ExtendWith.class)
                .filter(extension -> List.of(extension.value()).contains(ServerExtension.class))
                .isPresent();
        if (!shares) {
            return 0;
        }
        return switch (ServerExtension.profileOf(test.getTestClass())) {
            case FAILPOINTS, POSTGRESQL -> 0;
            case PLAIN -> 1;
            case RICH -> 2;
            case PARKING -> 3;
            case SMALL -> 4;
        };
    }
}
