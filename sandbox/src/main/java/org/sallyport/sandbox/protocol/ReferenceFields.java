package org.sallyport.sandbox.protocol;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.sallyport.sandbox.ScriptReferences;
import org.sallyport.sandbox.ScriptReferences.ModuleReference;
import org.sallyport.sandbox.ScriptReferences.ReferencePath;

/**
 * The references of a script as members of a frame: {@code paths} and {@code modules} are texts, and {@code
 * pathPositions} and {@code modulePositions} are the line and the column of each.
 */
final class ReferenceFields {
    private ReferenceFields() {}

    static void write(ScriptReferences references, JsonGenerator json) throws IOException {
        json.writeArrayFieldStart("paths");
        for (ReferencePath path : references.paths()) {
            json.writeString(String.join(".", path.names()));
        }
        json.writeEndArray();
        json.writeArrayFieldStart("pathPositions");
        for (ReferencePath path : references.paths()) {
            json.writeNumber(path.line());
            json.writeNumber(path.column());
        }
        json.writeEndArray();
        json.writeArrayFieldStart("modules");
        for (ModuleReference module : references.modules()) {
            json.writeString(module.name());
        }
        json.writeEndArray();
        json.writeArrayFieldStart("modulePositions");
        for (ModuleReference module : references.modules()) {
            json.writeNumber(module.line());
            json.writeNumber(module.column());
        }
        json.writeEndArray();
    }

    static ScriptReferences read(FrameFields fields) throws ProtocolException {
        List<String> paths = fields.list("paths", String.class);
        List<Long> pathPositions = fields.list("pathPositions", Long.class);
        List<String> modules = fields.list("modules", String.class);
        List<Long> modulePositions = fields.list("modulePositions", Long.class);
        if (paths.size() > ScriptReferences.MAX_PATHS
                || modules.size() > ScriptReferences.MAX_MODULES
                || pathPositions.size() != 2 * paths.size()
                || modulePositions.size() != 2 * modules.size()) {
            throw new ProtocolException("references without a position each, or too many");
        }
        List<ReferencePath> foundPaths = new ArrayList<>(paths.size());
        for (int i = 0; i < paths.size(); i++) {
            foundPaths.add(new ReferencePath(
                    names(paths.get(i)), position(pathPositions.get(2 * i)), position(pathPositions.get(2 * i + 1))));
        }
        List<ModuleReference> foundModules = new ArrayList<>(modules.size());
        for (int i = 0; i < modules.size(); i++) {
            foundModules.add(new ModuleReference(
                    modules.get(i), position(modulePositions.get(2 * i)), position(modulePositions.get(2 * i + 1))));
        }
        return new ScriptReferences(foundPaths, foundModules);
    }

    private static List<String> names(String path) throws ProtocolException {
        List<String> names = List.of(path.split("\\.", ScriptReferences.MAX_NAMES_PER_PATH + 1));
        if (names.size() < 2 || names.size() > ScriptReferences.MAX_NAMES_PER_PATH || names.contains("")) {
            throw new ProtocolException("malformed path of names");
        }
        return names;
    }

    private static int position(long number) throws ProtocolException {
        if (number < 1 || number > Integer.MAX_VALUE) {
            throw new ProtocolException("malformed position");
        }
        return (int) number;
    }
}
