package org.sallyport.it.harness;

import java.lang.reflect.Executable;
import java.lang.reflect.Parameter;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/**
 * Stops the servers of a {@link ServerProfile} when the last test class of the run that uses them has ended: an idle
 * server with its workers takes processor time from the other tests. Registered as a service of JUnit.
 */
public final class SharedServerListener implements TestExecutionListener {
    private final Set<Class<?>> openClasses = ConcurrentHashMap.newKeySet();

    @Override
    public void testPlanExecutionStarted(TestPlan plan) {
        plan.getRoots().stream()
                .flatMap(engine -> plan.getChildren(engine).stream())
                .flatMap(test -> testClass(test).stream())
                .forEach(openClasses::add);
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        testClass(test).ifPresent(this::classEnded);
    }

    @Override
    public void executionSkipped(TestIdentifier test, String reason) {
        testClass(test).ifPresent(this::classEnded);
    }

    private static Optional<Class<?>> testClass(TestIdentifier test) {
        return test.getSource()
                .filter(ClassSource.class::isInstance)
                .map(source -> ((ClassSource) source).getJavaClass());
    }

    private void classEnded(Class<?> test) {
        if (openClasses.remove(test)) {
            Set<ServerProfile> idle = profiles(test);
            openClasses.forEach(open -> idle.removeAll(profiles(open)));
            idle.forEach(ServerExtension::stopServers);
        }
    }

    /** The profiles of the servers that a class, its constructors and its methods request. */
    private static Set<ServerProfile> profiles(Class<?> test) {
        Set<ServerProfile> profiles = EnumSet.noneOf(ServerProfile.class);
        boolean shares = AnnotationSupport.findRepeatableAnnotations(test, ExtendWith.class).stream()
                .anyMatch(extension -> List.of(extension.value()).contains(ServerExtension.class));
        if (shares) {
            profiles.add(ServerExtension.profileOf(test));
            profiles.addAll(Stream.of(List.of(test.getDeclaredConstructors()), List.of(test.getDeclaredMethods()))
                    .flatMap(Collection::stream)
                    .flatMap(SharedServerListener::namedProfiles)
                    .collect(Collectors.toSet()));
        }
        return profiles;
    }

    private static Stream<ServerProfile> namedProfiles(Executable executable) {
        return Stream.of(executable.getParameters())
                .flatMap((Parameter parameter) -> Stream.ofNullable(parameter.getAnnotation(UseServer.class)))
                .map(UseServer::value);
    }
}
