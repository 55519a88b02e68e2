package org.sallyport.server;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.spi.BeanManager;
import java.util.ArrayList;
import java.util.List;
import org.sallyport.bean.Backend;
import org.sallyport.connector.bean.BackendBean;
import org.sallyport.connector.bean.InvalidBeansException;

/** Finds the beans that are backends. */
final class BackendBeanFinder {
    private BackendBeanFinder() {}

    /**
     * Returns all backend beans of all profiles, of the application and of extension jars. Creates no instances,
     * because their injected services may not be available yet.
     */
    static List<BackendBean> find(BeanManager beans) {
        List<BackendBean> found = new ArrayList<>();
        ExtensionBeans extensions = beans.getExtension(ExtensionBeans.class);
        List<String> problems = new ArrayList<>(extensions.problems());
        for (var bean : beans.getBeans(Object.class, Any.Literal.INSTANCE)) {
            Class<?> type = bean.getBeanClass();
            // A producer method of such a class also has the class as its bean class.
            if (!type.isAnnotationPresent(Backend.class) || !bean.getTypes().contains(type)) {
                continue;
            }
            if (bean.getScope() != ApplicationScoped.class) {
                problems.add(type.getName() + ": a bean with @Backend must be @ApplicationScoped");
                continue;
            }
            Object proxy = beans.getReference(bean, type, beans.createCreationalContext(bean));
            found.add(new BackendBean(type, extensions.jarOf(type), () -> proxy));
        }
        if (!problems.isEmpty()) {
            throw new InvalidBeansException(problems);
        }
        return found;
    }
}
