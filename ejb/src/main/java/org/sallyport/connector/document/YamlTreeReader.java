package org.sallyport.connector.document;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.sallyport.tool.PlainText;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.composer.Composer;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeId;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.parser.ParserImpl;
import org.yaml.snakeyaml.reader.StreamReader;
import org.yaml.snakeyaml.resolver.Resolver;

/**
 * Reads one document of YAML 1.2 (core schema) as JSON, with anchors and merge keys ({@code <<}). Other tags, keys that
 * are no scalars, and more than one document are errors. Errors do not quote values, which may be secret. Not
 * thread-safe; an instance reads one document.
 */
final class YamlTreeReader {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    /** Scalars without quotation marks and without a tag. */
    private static final Tag PLAIN = new Tag("tag:yaml.org,2002:plain");

    private static final Set<Tag> TYPES_OF_SCALARS = Set.of(Tag.NULL, Tag.BOOL, Tag.INT, Tag.FLOAT);
    private static final String MERGE_KEY = "<<";
    private static final int MAX_SHOWN_LENGTH = 60;

    /** A document may have this many times its length in characters after its aliases were replaced … */
    private static final int MAX_GROWTH = 10;

    /** … and this many characters more. */
    private static final long MIN_SIZE = 1_000_000;

    /** Members that merge keys copy; other aliases share what they refer to. */
    private static final int MAX_MERGED_MEMBERS = 1_000_000;

    private final int maxDepth;
    private final long maxSize;
    private final IdentityHashMap<Node, SizedTree> read = new IdentityHashMap<>();
    private final IdentityHashMap<Node, Boolean> inProgress = new IdentityHashMap<>();
    private int mergedMembers;

    /**
     * A part of the document. Aliases of one anchor share it.
     *
     * @param size number of characters and nodes, as if nothing were shared
     */
    private record SizedTree(JsonNode node, long size, int depth) {}

    private YamlTreeReader(int maxDepth, long maxSize) {
        this.maxDepth = maxDepth;
        this.maxSize = maxSize;
    }

    /** Marks plain scalars in place of finding their types by the rules of YAML 1.1. */
    private static final class PlainScalarResolver extends Resolver {
        @Override
        protected void addImplicitResolvers() {
            // YamlScalarParser has the rules of YAML 1.2.
        }

        @Override
        public Tag resolve(NodeId kind, String value, boolean implicit) {
            return kind == NodeId.scalar && implicit ? PLAIN : super.resolve(kind, value, false);
        }
    }

    /** Reads a text; returns null as JSON if it has no document. */
    static JsonNode read(String text, int maxDepth) throws UnreadableDocumentException {
        LoaderOptions options = new LoaderOptions();
        options.setNestingDepthLimit(maxDepth);
        options.setCodePointLimit(Integer.MAX_VALUE);
        // The size of the result is bounded instead.
        options.setMaxAliasesForCollections(Integer.MAX_VALUE);
        try {
            Node root = new Composer(
                            new ParserImpl(new StreamReader(text), options), new PlainScalarResolver(), options)
                    .getSingleNode();
            return root == null
                    ? NODES.nullNode()
                    : new YamlTreeReader(maxDepth, MIN_SIZE + MAX_GROWTH * (long) text.length())
                            .convert(root)
                            .node();
        } catch (MarkedYAMLException e) {
            throw invalid(reason(e), e.getProblemMark());
        } catch (YAMLException e) {
            throw new UnreadableDocumentException(
                    "is no YAML: " + JsonOrYamlReader.firstLine(String.valueOf(e.getMessage())));
        }
    }

    /** The name of an alias may be a password that begins with an asterisk. */
    private static String reason(MarkedYAMLException failure) {
        String problem = JsonOrYamlReader.firstLine(String.valueOf(failure.getProblem()));
        return problem.startsWith("found undefined alias")
                ? "an alias (a text that begins with '*') has no anchor"
                : problem;
    }

    private static UnreadableDocumentException invalid(String reason, Mark place) {
        return place == null
                ? new UnreadableDocumentException("is no YAML: " + reason)
                : new UnreadableDocumentException("is no YAML: " + reason, place.getLine() + 1, place.getColumn() + 1);
    }

    private static UnreadableDocumentException invalid(String reason, Node node) {
        return invalid(reason, node.getStartMark());
    }

    private SizedTree convert(Node node) throws UnreadableDocumentException {
        SizedTree known = read.get(node);
        if (known != null) {
            return known;
        }
        if (inProgress.put(node, true) != null) {
            throw invalid("an anchor contains its own alias", node);
        }
        SizedTree tree;
        if (node instanceof MappingNode mapping) {
            tree = convertMapping(mapping);
        } else if (node instanceof SequenceNode sequence) {
            tree = convertSequence(sequence);
        } else if (node instanceof ScalarNode scalar) {
            tree = new SizedTree(convertScalar(scalar), 1L + scalar.getValue().length(), 0);
        } else {
            throw invalid("an alias has no anchor", node);
        }
        if (tree.size() > maxSize) {
            throw invalid("the aliases make it too large", node);
        }
        if (tree.depth() > maxDepth) {
            throw invalid("it is nested deeper than " + maxDepth + " levels", node);
        }
        inProgress.remove(node);
        read.put(node, tree);
        return tree;
    }

    private SizedTree convertSequence(SequenceNode sequence) throws UnreadableDocumentException {
        requireTag(sequence, Tag.SEQ);
        ArrayNode array = NODES.arrayNode();
        long size = 1;
        int depth = 0;
        for (Node item : sequence.getValue()) {
            SizedTree tree = convert(item);
            array.add(tree.node());
            size += tree.size();
            depth = Math.max(depth, tree.depth());
        }
        return new SizedTree(array, size, depth + 1);
    }

    private SizedTree convertMapping(MappingNode mapping) throws UnreadableDocumentException {
        requireTag(mapping, Tag.MAP);
        ObjectNode object = NODES.objectNode();
        Set<String> keys = new HashSet<>();
        List<Node> merged = new ArrayList<>();
        long size = 1;
        int depth = 0;
        for (NodeTuple member : mapping.getValue()) {
            SizedTree tree = convert(member.getValueNode());
            size += tree.size();
            if (!(member.getKeyNode() instanceof ScalarNode key)) {
                throw invalid("a key is a list or a mapping", member.getKeyNode());
            }
            if (key.getTag().equals(PLAIN) && key.getValue().equals(MERGE_KEY)) {
                merged.add(member.getValueNode());
                // The members of the source become members of this mapping, and are no level deeper.
                depth = Math.max(depth, tree.depth() - (tree.node().isArray() ? 2 : 1));
            } else if (keys.add(key.getValue())) {
                depth = Math.max(depth, tree.depth());
                size += key.getValue().length();
                object.set(key.getValue(), tree.node());
            } else {
                throw invalid("the key '" + abbreviate(key.getValue()) + "' occurs twice", key);
            }
        }
        for (Node source : merged) {
            merge(source, object);
        }
        return new SizedTree(object, size, depth + 1);
    }

    /** Adds the members of a mapping, or of a list of mappings, that the object does not have. */
    private void merge(Node source, ObjectNode object) throws UnreadableDocumentException {
        JsonNode tree = convert(source).node();
        Iterable<JsonNode> mappings = tree.isArray() ? tree : List.of(tree);
        for (JsonNode mapping : mappings) {
            if (!mapping.isObject()) {
                throw invalid("a merge key has a value that is no mapping", source);
            }
            mergedMembers += mapping.size();
            if (mergedMembers > MAX_MERGED_MEMBERS) {
                throw invalid("the merge keys make it too large", source);
            }
            mapping.properties().forEach(member -> object.putIfAbsent(member.getKey(), member.getValue()));
        }
    }

    private static JsonNode convertScalar(ScalarNode scalar) throws UnreadableDocumentException {
        Tag tag = scalar.getTag();
        if (tag.equals(Tag.STR)) {
            return NODES.textNode(scalar.getValue());
        }
        if (!tag.equals(PLAIN) && !TYPES_OF_SCALARS.contains(tag)) {
            throw unsupportedTag(scalar);
        }
        Optional<JsonNode> value = YamlScalarParser.parse(scalar.getValue());
        if (value.isEmpty()) {
            throw invalid("a number cannot be written as JSON; a text needs quotation marks", scalar);
        }
        return value.get();
    }

    private static void requireTag(Node node, Tag tag) throws UnreadableDocumentException {
        if (!node.getTag().equals(tag)) {
            throw unsupportedTag(node);
        }
    }

    private static UnreadableDocumentException unsupportedTag(Node node) {
        return invalid("a tag (a text that begins with '!') is not supported", node);
    }

    private static String abbreviate(String text) {
        return PlainText.singleLine(text, MAX_SHOWN_LENGTH);
    }
}
