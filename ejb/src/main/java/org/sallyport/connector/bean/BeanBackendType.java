package org.sallyport.connector.bean;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import org.sallyport.catalog.BackendDefinition;
import org.sallyport.catalog.BackendNameRules;
import org.sallyport.connector.BackendConnection;
import org.sallyport.connector.BackendSettings;
import org.sallyport.connector.BackendType;
import org.sallyport.connector.CallSettings;
import org.sallyport.connector.InvalidBackendException;

/** Beans of the application and of extension jars, each a backend under its declared name. */
public final class BeanBackendType implements BackendType {
    private final Map<String, BeanTools> beans;
    private final ExecutorService executor;

    /**
     * @param taken names of other backends of the application
     * @param executor runs each call on a thread of its own
     * @throws InvalidBeansException if one of the beans is invalid
     */
    public BeanBackendType(Collection<BackendBean> found, Set<String> taken, ExecutorService executor) {
        this.executor = executor;
        Map<String, BeanTools> all = new TreeMap<>();
        Map<String, String> where = new TreeMap<>();
        taken.forEach(name -> where.put(name.toLowerCase(Locale.ROOT), "the application itself"));
        List<String> problems = new ArrayList<>();
        for (BackendBean bean : found) {
            String name = bean.backend().value();
            String type = bean.place();
            BackendNameRules.validationError(name)
                    .ifPresent(error -> problems.add(type + ": the name of a backend " + error));
            String other = where.putIfAbsent(name.toLowerCase(Locale.ROOT), type);
            if (other != null) {
                problems.add(type + ": a backend '" + name + "' already exists: " + other
                        + "; rename or remove one of them");
            }
            all.put(name, BeanTools.of(bean, problems::add));
        }
        if (!problems.isEmpty()) {
            throw new InvalidBeansException(problems);
        }
        this.beans = Map.copyOf(all);
    }

    @Override
    public String name() {
        return "java";
    }

    @Override
    public Set<String> secretSettings() {
        return Set.of();
    }

    /** The beans are part of the service, so that their hints are trusted. */
    @Override
    public boolean declaresTrustedHints() {
        return true;
    }

    @Override
    public Optional<Set<String>> builtInNames() {
        return Optional.of(beans.keySet());
    }

    @Override
    public void check(BackendSettings settings) {
        settings.allowOnly(CallSettings.SETTING_NAMES);
    }

    @Override
    public BackendConnection open(BackendDefinition definition, BackendConnection.ConnectionListener listener) {
        BeanTools tools = beans.get(definition.name());
        if (tools == null) {
            throw new InvalidBackendException("name", "must be the name of a backend bean that this node has");
        }
        return new BeanBackend(tools, listener, executor);
    }
}
