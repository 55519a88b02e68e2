package org.sallyport.connector.extension;

import jakarta.decorator.Decorator;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.ConversationScoped;
import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.context.RequestScoped;
import jakarta.enterprise.context.SessionScoped;
import jakarta.interceptor.Interceptor;
import java.lang.annotation.Annotation;
import java.lang.reflect.Constructor;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.sallyport.bean.Backend;

/**
 * Loads a class and checks that the container can make a bean of it. The container's own messages for these faults do
 * not name the jar, or name only the missing class.
 */
final class ExtensionClassLoading {
    private static final List<Class<? extends Annotation>> PROXIED_SCOPES =
            List.of(ApplicationScoped.class, ConversationScoped.class, RequestScoped.class, SessionScoped.class);
    private static final List<Class<? extends Annotation>> OTHER_BEANS =
            List.of(Dependent.class, Interceptor.class, Decorator.class);

    private ExtensionClassLoading() {}

    /** Returns the class if it is a bean. Adds a sentence to {@code problems} for each fault. */
    static Optional<Class<?>> load(String name, Path file, ClassLoader loader, List<String> problems) {
        String place = file + ": " + name;
        try {
            Class<?> type = Class.forName(name, false, loader);
            if (!isBean(type)) {
                return Optional.empty();
            }
            resolveMembers(type, loader);
            findProblem(type).ifPresent(problem -> problems.add(place + ": " + problem));
            return Optional.of(type);
        } catch (NoClassDefFoundError | TypeNotPresentException e) {
            problems.add(place + ": needs the class " + missingClass(e) + ", which is in no jar of " + file.getParent()
                    + " and not part of the API; put the jar of this class into the directory");
        } catch (LinkageError | ClassNotFoundException e) {
            problems.add(place + ": cannot be loaded (" + e + "); build the jar again");
        }
        return Optional.empty();
    }

    private static String missingClass(Throwable failure) {
        return failure instanceof TypeNotPresentException type
                ? type.typeName()
                : Objects.toString(failure.getMessage(), "(unknown)").replace('/', '.');
    }

    private static boolean isBean(Class<?> type) {
        return type.isAnnotationPresent(Backend.class)
                || !Modifier.isAbstract(type.getModifiers())
                        && Stream.concat(PROXIED_SCOPES.stream(), OTHER_BEANS.stream())
                                .anyMatch(type::isAnnotationPresent);
    }

    /** Loads the classes in the signatures of all members, as the container does. */
    private static void resolveMembers(Class<?> type, ClassLoader loader) {
        for (Class<?> each = type; each != null && each.getClassLoader() == loader; each = each.getSuperclass()) {
            Stream.of(each.getDeclaredMethods()).forEach(method -> {
                method.getGenericReturnType();
                method.getGenericParameterTypes();
            });
            Stream.of(each.getDeclaredFields()).forEach(field -> field.getGenericType());
            Stream.of(each.getDeclaredConstructors()).forEach(Constructor::getGenericParameterTypes);
        }
    }

    private static Optional<String> findProblem(Class<?> type) {
        if (type.isAnnotationPresent(Backend.class) && !type.isAnnotationPresent(ApplicationScoped.class)) {
            return Optional.of("a bean with @Backend must be @ApplicationScoped");
        }
        if (PROXIED_SCOPES.stream().noneMatch(type::isAnnotationPresent)) {
            return Optional.empty();
        }
        boolean inner = type.getEnclosingClass() != null && !Modifier.isStatic(type.getModifiers());
        if (inner || Modifier.isAbstract(type.getModifiers()) || Modifier.isFinal(type.getModifiers())) {
            return Optional.of("the class of a bean must not be final, abstract or an inner class");
        }
        boolean constructible = Stream.of(type.getDeclaredConstructors())
                .anyMatch(each -> each.getParameterCount() == 0 && !Modifier.isPrivate(each.getModifiers()));
        return constructible
                ? Optional.empty()
                : Optional.of("needs a constructor without parameters that is not private, because the container makes"
                        + " a proxy of the bean");
    }
}
