package org.sallyport.sandbox.guest;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.sallyport.sandbox.Script;

/**
 * Caches recently parsed scripts, so that repeated runs parse a script once. Bounded: at most 256 scripts and 1,500,000
 * characters of code. Thread-safe.
 */
final class PreparedScriptCache {
    private static final int MAX_SCRIPTS = 256;
    private static final long MAX_CHARS = 1_500_000;

    private final Map<Script, PreparedScript> byScript = new LinkedHashMap<>(64, 0.75f, true);
    private long chars;

    synchronized Optional<PreparedScript> find(Script script) {
        return Optional.ofNullable(byScript.get(script));
    }

    synchronized void clear() {
        byScript.clear();
        chars = 0;
    }

    synchronized void put(Script script, PreparedScript prepared) {
        if (byScript.put(script, prepared) == null) {
            chars += script.code().length();
        }
        var eldest = byScript.keySet().iterator();
        while (byScript.size() > 1 && (byScript.size() > MAX_SCRIPTS || chars > MAX_CHARS)) {
            chars -= eldest.next().code().length();
            eldest.remove();
        }
    }
}
